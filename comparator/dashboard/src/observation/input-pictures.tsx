import { VisibleText } from '../parts/visible-text.tsx'
import type { Picture } from './find-pictures.ts'
import { PictureImage } from './picture-image.tsx'

/** The pictures that the models received. */
export function InputPictures({ pictures }: { pictures: Picture[] }) {
  return (
    <ul class="pictures">
      {pictures.map((picture) => (
        <li key={picture.place}>
          <PictureImage picture={picture} alt="The request’s image" />
          <p class="muted">
            {picture.type.replace('image/', '').toUpperCase()}
            {picture.size && ` ${picture.size.width} × ${picture.size.height}`}
            {picture.place !== '' && (
              <>
                {' '}
                at <VisibleText text={picture.place} inline />
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}
